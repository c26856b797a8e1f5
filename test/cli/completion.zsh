# Asks zsh's own completion system for the words at the end of a line: in an interactive shell of a pseudo-terminal, whose `compadd` writes
# the words that match to a file.

zmodload zsh/zpty
words=$PWD/words

prepare() {
  zpty shell zsh -f -i
  zpty -w shell "PS1=; unsetopt zle_bracketed_paste 2>/dev/null; autoload -U compinit; compinit -u -D; . $1"
  zpty -w shell "compadd() {
    if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd \"\$@\"; return; fi
    local -a found
    builtin compadd -A found \"\$@\"
    print -rl -- \$found >> $words
    builtin compadd \"\$@\"
  }"
  zpty -w shell "asked() { : > $words; zle expand-or-complete; : > $words.done; zle kill-whole-line }; zle -N asked; bindkey '^I' asked"
  zpty -w shell "setopt no_list_beep no_beep; LISTMAX=1000; zstyle ':completion:*' list no; : > $words.done"
  wait_for $words.done
}

wait_for() {
  local output
  while [[ ! -e $1 ]]; do
    zpty -r -t shell output || true
    sleep 0.02
  done
  rm $1
}

request() {
  zpty -w -n shell "$1"$'\t'
  wait_for $words.done
  sort -u $words
  echo "--- end"
}
