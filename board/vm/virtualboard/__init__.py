"""The virtual board: a QEMU with the arm64 Tappet in it, and everything that stands around a board, played from outside."""
