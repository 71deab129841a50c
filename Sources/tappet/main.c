int tappet_main(int argc, char **argv);

int main(int argc, char **argv) { return tappet_main(argc, argv); }
