// Resolution of symbolic links in a path.

import CPlatform

/// Returns the absolute path of the file at `path`, with links resolved; `nil` if the file does not exist or cannot be
/// reached.
package func resolvedPath(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}
