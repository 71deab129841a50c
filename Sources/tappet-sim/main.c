int tappet_sim_main(int argc, char **argv);

int main(int argc, char **argv) { return tappet_sim_main(argc, argv); }
