// The command line that finds the smallest change for one candidate.

// An id as a POSIX shell reads it back. Hidden characters are spelled out in it already (`\u202e`),
// and stay so in the form that bash, zsh and ksh know.
function quotedId(id) {
  if (/^[A-Za-z0-9_\/.,:=@%+-]+$/.test(id)) return id;
  const spelled = /\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})/g;
  if (id.search(spelled) < 0) return `'${id.replaceAll("'", `'"'"'`)}'`;
  const slashed = id.replace(/\\(?!x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})/g, "\\\\");
  return `$'${slashed.replaceAll("'", "\\'")}'`;
}

function whyCommand(id) {
  return `packhorse why ${id.startsWith("-") ? "-- " : ""}PACKET ${quotedId(id)}`;
}
