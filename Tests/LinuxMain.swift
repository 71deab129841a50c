// The tests' main function. Without this file, SwiftPM would search the compiler's index for tests, and the index costs
// a quarter of the build.

import Testing

@main struct Runner {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
