"""Computes liveness in a function of qd-dis --json by its definition."""


def live_out(fn, lines, handed=None):
    """Yields (block, line, set live after it) for each line of lines[block], a list of (line, used,
    made). Derives it from reads, writes and the blocks' edges. handed: further values that are
    live at each block's end."""
    into = [set() for _ in lines]

    def out(i):
        return (handed[i] if handed else set()).union(*(into[w["block"]] for w in fn["blocks"][i]["next"]))
    again = True
    while again:
        again = False
        for i in range(len(lines) - 1, -1, -1):
            at = out(i)
            for _, used, made in reversed(lines[i]):
                at = at - made | used
            again |= at != into[i]
            into[i] = at
    for i, block in enumerate(lines):
        at = out(i)
        for line in reversed(block):
            yield i, line, at
            at = at - line[2] | line[1]
