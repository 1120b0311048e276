import type { AnyRule } from '../rules/rule.ts';
import type { SubjectLocation } from './location.ts';

/** The rules of exceptions and known findings, and the apps that they were evaluated on; null for what is about none. */
export class EvaluatedRules {
  readonly #apps = new Map<string, Set<string | null>>();

  constructor(about: readonly { rule: string }[]) {
    for (const { rule } of about) this.#apps.set(rule, new Set());
  }

  /** Records that a rule was evaluated. */
  note({ id, workspaceOnly }: AnyRule, { app, file }: SubjectLocation): void {
    if (!workspaceOnly || file !== null) this.#apps.get(id)?.add(app);
  }

  /** @param app null: on anything */
  has(rule: string, app: string | null): boolean {
    const apps = this.#apps.get(rule);
    if (apps === undefined) return false;
    return app === null ? apps.size > 0 : apps.has(app) || apps.has(null);
  }
}
