import { RESULT_FORMATS } from '../../report/options.ts';
import { SYMPTOMS } from '../../core/findings/report.ts';
import { LEVELS, RULE_GROUP_NAMES } from './choices.ts';
import { type CommandDefinition, text } from './command.ts';

export const rulesCommand = {
  name: 'rules',
  group: 'other',
  description: 'list all rules with their levels in this folder',
  arguments: [],
  options: {
    group: text(
      '--group <group>',
      `only the rules about one subject: ${RULE_GROUP_NAMES.join(', ')}`,
      RULE_GROUP_NAMES,
    ),
    level: text('--level <level>', 'only the rules at this level: off, note, warning or error', LEVELS),
    symptom: text('--symptom <symptom>', `only the rules that explain this symptom: ${SYMPTOMS.join(', ')}`, SYMPTOMS),
  },
  formats: RESULT_FORMATS,
  notes: 'The configuration of the current folder and --rule set levels. appreg explain <rule> shows the details.',
  examples: ['rules', 'rules --group artifact', 'rules --symptom icon-does-not-display'],
} as const satisfies CommandDefinition;
