"""The virtual board: QEMU with the arm64 Tappet in it, and everything around a board, simulated from outside."""
