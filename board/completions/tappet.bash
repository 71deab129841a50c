# Completion of tappet(1) for bash.
_tappet() {
  local kind word rest current=${COMP_WORDS[COMP_CWORD]}
  [[ $current == = ]] && current=
  COMPREPLY=()
  {
    read -r kind
    while IFS=$'\t' read -r word rest; do COMPREPLY+=("$(printf %q "$word")"); done
  } < <("${COMP_WORDS[0]}" completion --words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case $kind in
    files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
  esac
}
complete -F _tappet tappet
