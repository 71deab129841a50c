# Completion of tappet(1) for fish.
function __tappet_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l lines ($words[1] completion --words -- $words[2..] "$current" 2>/dev/null)
  switch "$lines[1]"
    case files
      __fish_complete_path (string replace --regex '^--[^=]*=' '' -- "$current")
    case folders
      __fish_complete_directories (string replace --regex '^--[^=]*=' '' -- "$current")
    case words
      printf '%s\n' $lines[2..]
  end
end
complete --command tappet --no-files --arguments '(__tappet_complete)'
