// Where a path leads to.

import CPlatform

/// The path from the root of the file at `path`, links followed; `nil` if there is none, or it cannot be reached.
package func resolvedPath(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}
