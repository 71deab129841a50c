// tappet people keys: creates the site key and the signing key, and prints the matching lines for kiosk.yaml.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetPlatform

enum SiteKeys {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let folder = arguments.operands[0]
    let (site, push) = (folder + "/site.key", folder + "/push.key")
    for path in [site, push] where access(path, F_OK) == 0 {
      throw .refused("nothing was created: \(path) already exists, and doors may need it; specify a different folder")
    }
    let (key, signer, digits): (SecretKey, SigningKey, String)
    do throws(CryptoError) {
      (key, signer) = (try SecretKey.random(), try SigningKey.random())
      digits = Hex.encode(try signer.publicKey().bytes)
    } catch {
      throw .failed("the keys cannot be created: OpenSSL or the system's random number generator failed")
    }
    try make(push, signer.revealedHexDigits())
    do throws(CommandFailure) { try make(site, key.revealedHexDigits()) } catch {
      unlink(push)
      throw error
    }
    report(site, push, digits, arguments)
  }

  private static func make(_ path: String, _ digits: [UInt8]) throws(CommandFailure) {
    var line = digits + [0x0A]
    defer { LibCrypto.wipe(&line) }
    try PrivateFile.create(path, line)
  }

  private static func report(_ site: String, _ push: String, _ digits: String, _ arguments: Arguments) {
    if let report = arguments.report {
      return report.set(
        .object(["site_key": .string(site), "push_key": .string(push), "public_key": .string(digits)]))
    }
    Output.print("site:")
    Output.print("  name: NAME                # the same on all doors")
    Output.print("  key: {file: site.key}")
    Output.print("  public_key: \(digits)")
    Output.printError(
      "Created \(site), which must be copied to every door, and \(push), which only the person who pushes may have.")
  }
}
