// The table of kiosk commands.

import TappetCommandLine

extension Command {
  /// The kiosk commands, in the order of the overview.
  package static var kiosk: [Command] {
    @export(interface) get {
      [
        .setUp, .importSettings, .brokerPassword, .run, .check, .status, .panelLock,
        .outputList,
      ] + outputSwitches + [
        .outputSafe, .webPair, .webList, .webRemove, .webPassword, .commandTest, .history,
        .tagRead, .tagWatch, .tagWrite, .tagErase, .tagLock, .tagFormat, .tagLearn, .tagLearned, .tagForget,
        .secretList, .secretNew, .secretShare, .secretImport, .secretRename, .secretRemove, .secretRekey,
        .actionRename, .audit,
        .personAdd, .personList, .personRename, .personAllow, .personSuspend, .personResume, .personRemove,
        .personAssign, .personImport, .personExport, .peopleKeys, .peoplePush,
        .certCheck, .certImport, .certRequest, .certEnrol, .outboxList, .outboxDrop, .outboxRetry, .outboxExport,
        .backup, .restore,
        .tokenSeal, .tokenOpen, .tokenKey,
      ]
    }
  }
}
