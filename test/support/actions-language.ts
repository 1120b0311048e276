/** GitHub's own reading of workflows, actions and expressions; github-actions.ts loads it. */
export { data, Evaluator, Lexer, Parser } from '@actions/expressions';
export { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
export { parseAction } from '@actions/workflow-parser/actions/action-parser';
