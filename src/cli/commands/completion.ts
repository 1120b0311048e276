import { message } from '../../core/text/message.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { AppregError } from '../../core/errors/error.ts';
import { isOneOf, SHELLS } from '../define/choices.ts';
import type { Context } from '../config/context.ts';
import { ownText, printResult } from '../io/results.ts';

/**
 * `appreg completion <shell>`: prints a script for the shell. The script contains no options: at Tab it calls the typed
 * appreg (`appreg __complete`, see complete.ts), so it works with every version. The typed words are passed as
 * arguments and never evaluated.
 */
export async function runCompletion(context: Context, shell: string): Promise<number> {
  if (!isOneOf(SHELLS, shell))
    throw new AppregError(
      'shell-unknown',
      message`Completion does not support the shell “${shell}”.${didYouMean(shell, SHELLS)}`,
      message`Use one of ${SHELLS.join(', ')}.`,
    );
  const script = SCRIPTS[shell].trim();
  printResult<'completion'>(context, {
    pretty: () => script,
    json: () => ({ shell, script }),
    summary: () => message`${shell} completion`,
    conceal: ownText,
  });
  return 0;
}

// Bash 3.2 (macOS) does not have compopt; there the script falls back to file names.
const bash = `
_appreg() {
  local line kind='' program="\${COMP_WORDS[0]/#\\~/$HOME}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <("$program" __complete bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
  type compopt > /dev/null 2>&1 || return 0
  compopt -o nosort 2> /dev/null
  case $kind in
    files*) ;;
    folders*) compopt +o default -o dirnames 2> /dev/null ;;
    *) compopt +o default 2> /dev/null ;;
  esac
  case $kind in *nospace) compopt -o nospace 2> /dev/null ;; esac
  return 0
}
complete -o default -F _appreg appreg
`;

const zsh = `
#compdef appreg
_appreg() {
  local line kind
  local -a lines found suffix
  lines=("\${(@f)$("\${(Q)words[1]/#\\~/$HOME}" __complete zsh "\${(@)words[2,CURRENT-1]}" "$IPREFIX$PREFIX" 2> /dev/null)}")
  kind=$lines[1]
  shift lines
  for line in $lines; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}\${\${(M)line%$'\\t'*}/$'\\t'/:}")
  done
  [[ $kind == *nospace ]] && suffix=(-S '')
  (( $#found )) && _describe -V -t values value found "\${(@)suffix}"
  case $kind in
    files*) compset -P '--*='; _files ;;
    folders*) compset -P '--*='; _files -/ ;;
  esac
}
if [ "$funcstack[1]" = _appreg ]; then _appreg "$@"; else compdef _appreg appreg; fi
`;

const fish = `
# Status 1 disables this completion, so that fish completes file names itself.
function __appreg_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l found ($program __complete fish $words "$current" 2> /dev/null)
    set -l kind $found[1]
    set -e found[1]
    set -g __appreg_found $found
    switch "$kind"
        case 'files*'
            return 1
        case 'folders*'
            set -l opening (string match -r -- '^--[^=]*=' "$current")
            for folder in (__fish_complete_directories (string replace -- "$opening" '' "$current") '')
                set -a __appreg_found "$opening$folder"
            end
    end
    return 0
end
complete -k -c appreg -n __appreg_candidates -f -a '$__appreg_found'
`;

const SCRIPTS = { bash, zsh, fish } satisfies Record<(typeof SHELLS)[number], string>;
