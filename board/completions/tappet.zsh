#compdef tappet
# Completion of tappet(1) for zsh.
_tappet() {
  local line
  local -a lines candidates
  lines=("${(@f)$("${words[1]}" completion --words -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  compset -P '--*='
  case ${lines[1]} in
    files) _files ;;
    folders) _files -/ ;;
    words)
      for line in "${(@)lines[2,-1]}"; do
        candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
      done
      _describe tappet candidates
      ;;
  esac
}
if [[ ${funcstack[1]} == _tappet ]]; then _tappet "$@"; else compdef _tappet tappet; fi
