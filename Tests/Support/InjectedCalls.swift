// Calls made inside a running helper process, as an intruder in it would make them.

import Foundation

/// The result of each call that inject.py makes in a process.
package func injectedCalls(into process: pid_t) throws -> [String: String] {
  let done = try Programs.run(URL(fileURLWithPath: Repository.path("Tests/Support/inject.py")), [String(process)])
  guard done.status == 0 else { throw TestFault(done.errors) }
  return done.output.split(separator: "\n").reduce(into: [:]) { results, line in
    let end = line.lastIndex(of: " ") ?? line.endIndex
    results[String(line[..<end])] = String(line[end...].dropFirst())
  }
}
