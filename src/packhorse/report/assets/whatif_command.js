// The command line and the profile that make the same packet as the page's present settings.

// What a terminal acts on, or what hides or turns text; joiners stay, as scripts and emoji need them.
const HIDDEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function escaped(char) {
  const code = char.codePointAt(0);
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}

// One argument as a POSIX shell reads it back; hidden characters are spelled out, in the form that
// bash, zsh and ksh know.
function shellQuoted(text) {
  if (/^[A-Za-z0-9_\/.,:=@%+][A-Za-z0-9_\/.,:=@%+-]*$/.test(text)) return text;
  if (text.search(HIDDEN) < 0) return `'${text.replaceAll("'", `'"'"'`)}'`;
  const slashed = text.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  return `$'${slashed.replace(HIDDEN, escaped)}'`;
}

// `--flag`, `--flag value`, or `--flag=value` where the value could be taken for a flag.
function flagText([flag, value]) {
  if (value === undefined) return flag;
  if (value === null) return `${flag} KB`;
  return value.startsWith("-") ? `${flag}=${shellQuoted(value)}` : `${flag} ${shellQuoted(value)}`;
}

// As Python and YAML read it back: no exponent, at most six decimals.
function decimal(number) {
  const text = number.toFixed(6).replace(/\.?0+$/, "");
  return text === "-0" ? "0" : text;
}

function hasOtherWeights(data, settings) {
  return Object.keys(data.weights).some((name) => data.weights[name] !== settings.weights[name]);
}

function commandText(data, settings) {
  const flags = [
    ...data.command.flags,
    ["--budget", String(settings.budget)],
    ["--lambda", decimal(settings.lambda)],
  ];
  if (hasOtherWeights(data, settings)) flags.push(["--profile", "what-if.yaml"]);
  return ["packhorse pack", ...flags.map(flagText)].join(" \\\n  ");
}

function profileText(data, settings) {
  const base = data.profile === null ? [] : ["extends: PROFILE.yaml"];
  const weights = Object.entries(settings.weights).map(([name, weight]) => `  ${name}: ${decimal(weight)}`);
  return [...base, "weights:", ...weights, ""].join("\n");
}

// What a reader has to fill in, sentence by sentence.
function commandNotes(data, settings) {
  const notes = [`KB stands for the place of the knowledge base ${visible(data.command.kb)}.`];
  if (data.profile !== null) {
    notes.push(
      hasOtherWeights(data, settings)
        ? `PROFILE.yaml stands for the profile of this packet, ${visible(data.profile)}.`
        : `Add --profile where this packet's profile, ${visible(data.profile)}, was named with it.`,
    );
  }
  if (data.command.attached.length) notes.push("Add --attach for each attached file.");
  if (data.command.history) notes.push("Add --history with the conversation.");
  return notes;
}
