/// Starts the program; called by main.c.
@_cdecl("tappet_sim_main")
package func tappet_sim_main(
  _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  SimulatorCommandLine.run(count, arguments)
}
