"""Say of each rule of the stand-in how we know it, so that nobody takes a guess for a fact."""

MARKS: tuple[object, ...] = ()
