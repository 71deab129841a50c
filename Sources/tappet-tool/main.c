int tappet_tool_main(int argc, char **argv);

int main(int argc, char **argv) { return tappet_tool_main(argc, argv); }
