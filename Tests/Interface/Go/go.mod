module tappet.example

go 1.19
