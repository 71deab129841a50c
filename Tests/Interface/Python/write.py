"""Writes a link to the next tag.   Usage: write.py READER LINK"""
import select
import sys

import tappet

reader = tappet.Reader(sys.argv[1])
reader.write(sys.argv[2])
while True:
    select.select([reader], [], [])
    for kind, uid, text in reader.events():
        if kind == reader.WRITTEN:
            print("written to", uid.hex())
            sys.exit()
        if kind in (reader.WRITE_FAILED, reader.LOST):
            sys.exit(text)
