"""A made-up set on which one setting is plainly wrong: near copies that are both gold."""

import json
from pathlib import Path

__all__ = ["write_copies"]

WORDS = (
    *("anchor", "basket", "candle", "dragon", "engine", "falcon", "garden", "hammer", "island"),
    *("jacket", "kettle", "ladder", "mirror", "needle", "orange", "pepper", "quiver", "ribbon"),
    *("saddle", "tunnel", "velvet", "walnut", "yellow", "zephyr", "branch", "copper", "desert"),
    *("feather", "glacier", "harvest", "insect", "jungle", "kernel", "lantern", "meadow", "nectar"),
    *("oyster", "parrot", "quartz", "raven"),
)


def write_copies(folder: Path, n_questions: int = 36) -> Path:
    """Questions whose gold is a passage and its near copy; the default drops the copy."""
    folder.mkdir(parents=True)
    passages, questions = [], []
    for at, word in enumerate(WORDS[:n_questions]):
        text = f"The {word} is kept in room {at} of the old house behind the river since the flood."
        for copy, end in (("one", ""), ("two", " Ask the guard.")):
            passages.append(
                {"id": f"{word}-{copy}", "title": "", "text": text + end, "source": copy}
            )
        question = {"id": word, "query": f"Where is the {word} kept?"}
        questions.append({**question, "gold": [f"{word}-one", f"{word}-two"]})
    for name, rows in (("corpus", passages), ("queries", questions)):
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder
