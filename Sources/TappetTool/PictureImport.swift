// A share code in a picture, found by zbarimg: another process, started without a shell, whose answer is bounded. It gets the
// picture as its standard input, so that no name of a file means anything to it.

import CPlatform
import TappetCore
import TappetDevices

enum PictureImport {
  static func shareURL(in path: String) throws(SecretRefusal) -> SecretBytes {
    let picture: Int32
    do throws(SystemError) {
      picture = try checked("open") { tp_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0) }
    } catch {
      throw SecretRefusal(sentence: "\(path) cannot be read: \(error.text)", status: .failure)
    }
    defer { close(picture) }
    var text = try codes(in: picture, path)
    defer { LibCrypto.wipe(&text) }
    let shareLines = text.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: "smpshare:".utf8) }
    guard let first = shareLines.first else {
      throw SecretRefusal(
        sentence: text.isEmpty
          ? "no QR code was found in \(path); take the picture from straight ahead, with light, and the whole code on it"
          : "the code in \(path) is no share code; one begins with smpshare://secret?",
        status: .refused)
    }
    guard shareLines.allSatisfy({ $0 == first }) else {
      throw SecretRefusal(sentence: "there are several share codes in \(path); give a picture of one", status: .refused)
    }
    return first.withUnsafeBytes { SecretBytes(copying: $0) }
  }

  /// What zbarimg read, a line a code.
  private static func codes(in picture: Int32, _ path: String) throws(SecretRefusal) -> [UInt8] {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else {
      throw SecretRefusal(
        sentence: "there is no pipe: \(SystemError(call: "pipe2", code: tp_errno()).text)", status: .failure)
    }
    defer { close(ends[0]) }
    let words = ["zbarimg", "--quiet", "--raw", "--set", "disable", "--set", "qrcode.enable", "-"]
    let started = spawn(words, input: picture, output: ends[1])
    close(ends[1])
    let process: pid_t
    switch started {
    case .failure(let error) where error.code == ENOENT:
      throw SecretRefusal(
        sentence: "reading pictures needs zbarimg, which is not installed; install the package zbar-tools",
        status: .failure)
    case .failure(let error):
      throw SecretRefusal(sentence: "zbarimg cannot be started: \(error.text)", status: .failure)
    case .success(let id): process = id
    }
    let text = collect(ends[0])
    // It has ended, or hangs, or says more than it should.
    if text == nil { kill(process, SIGKILL) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, tp_errno() == EINTR {}
    guard let text else {
      throw SecretRefusal(
        sentence: "zbarimg found no end in \(path); give a picture of the code alone", status: .failure)
    }
    // 4: there is no code in it (zbarimg(1)); anything else and nothing read: it was no picture.
    if text.isEmpty, !(tp_wait_exited(status) != 0 && [0, 4].contains(tp_wait_exit_status(status))) {
      throw SecretRefusal(sentence: "\(path) is no picture that zbarimg can read; give a PNG or JPEG", status: .refused)
    }
    return text
  }

  private static func spawn(_ words: [String], input: Int32, output: Int32) -> Result<pid_t, SystemError> {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_adddup2(&files, input, 0)
    posix_spawn_file_actions_adddup2(&files, output, 1)
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0)
    var vector: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    defer { for word in vector { free(word) } }
    vector.append(nil)
    var id: pid_t = 0
    let code = posix_spawnp(&id, "zbarimg", &files, nil, vector, tp_environ())
    return code == 0 ? .success(id) : .failure(SystemError(call: "posix_spawnp", code: code))
  }

  /// All that comes until the end; nil when it is too much or takes too long.
  private static func collect(_ end: Int32) -> [UInt8]? {
    var text = [UInt8](repeating: 0, count: Limits.scannedTextSizeMax)
    var size = 0
    let deadline = SystemClock().now().instant + Limits.scanTimeout
    while size < text.count {
      let remaining = deadline - SystemClock().now().instant
      var entry = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
      guard remaining > .zero, poll(&entry, 1, Int32(clamping: remaining.wholeMilliseconds)) > 0 else { break }
      let count = text.withUnsafeMutableBytes { read(end, $0.baseAddress?.advanced(by: size), $0.count - size) }
      if count < 0 { break }
      if count == 0 {
        text.removeLast(text.count - size)
        return text
      }
      size += count
    }
    LibCrypto.wipe(&text)
    return nil
  }
}
