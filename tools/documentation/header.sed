# The header as Doxygen reads it for the manual: a section is named after its page, tappet-values(3).
s|@defgroup |&tappet-|
