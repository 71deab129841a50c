int tappet_reader_main(int argc, char **argv);

int main(int argc, char **argv) { return tappet_reader_main(argc, argv); }
