"""What the system refuses (a folder, a file, room on a disk), as a sentence that says what to do.

Law: total. A refusal without a remedy here is said in the system's own words; what is no refusal has no sentence.
"""

import errno

from holdfast.core.errors import HoldfastError

OWNER = "Check the owner and the mode of it and of its folder, or name another place."
ROOM = "Free some space and try again."
FILE_IN_THE_WAY = "A file is where a folder is wanted: name another place, or move that file away."
REMEDIES = {
    errno.EACCES: OWNER,
    errno.EPERM: OWNER,
    errno.EROFS: "Name a place on a disk that can be written.",
    errno.ENOSPC: ROOM,
    errno.EDQUOT: ROOM,
    errno.ENOENT: "Name a place that is there, or make its folder first.",
    errno.ENOTDIR: FILE_IN_THE_WAY,
    errno.EEXIST: FILE_IN_THE_WAY,
    errno.EISDIR: "Name a file, not a folder.",
    errno.EMFILE: "Too many files are open: raise the limit (ulimit -n).",
}


def sentence_for(error: BaseException) -> str | None:
    """What a person is told; None for a mistake of ours, whose traceback is wanted."""
    match error:
        case HoldfastError():
            return str(error)
        case OSError():
            place = "" if error.filename is None else f"{_text(error.filename)}: "
            remedy = REMEDIES.get(error.errno or 0, "")
            return f"{place}{error.strerror or error}. {remedy}".rstrip()
        case ExceptionGroup(exceptions=(only,)):  # a task's, passed on by those who waited for it
            return sentence_for(only)
        case _:
            return None


def _text(name: object) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)
