/// The program's entry, called by main.c.
@_cdecl("tappet_tool_main")
public func tappet_tool_main(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32 { 0 }
