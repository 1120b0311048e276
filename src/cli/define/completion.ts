import { RESULT_FORMATS } from '../../report/options.ts';
import { SHELLS } from './choices.ts';
import type { CommandDefinition } from './command.ts';

export const completionCommand = {
  name: 'completion',
  group: 'other',
  description: 'print a shell completion script for bash, zsh or fish',
  arguments: [{ usage: '<shell>', value: SHELLS, prompt: { message: `Which shell? (${SHELLS.join(', ')})` } }],
  options: {},
  formats: RESULT_FORMATS,
  notes: `Install it once:
  bash  echo 'eval "$(appreg completion bash)"' >> ~/.bashrc
  zsh   echo 'eval "$(appreg completion zsh)"' >> ~/.zshrc    (after the line with compinit)
  fish  appreg completion fish > ~/.config/fish/completions/appreg.fish`,
  examples: [],
} as const satisfies CommandDefinition;
