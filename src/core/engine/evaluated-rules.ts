import { matchesGlob } from '../text/glob.ts';
import type { AnyRule } from '../rules/rule.ts';
import type { Exception } from './exception.ts';
import type { SubjectLocation } from './location.ts';

/** The rules of exceptions, and the apps that they were evaluated on; null for what is not about one app. */
export class EvaluatedRules {
  readonly #exceptions: readonly Exception[];
  readonly #apps = new Map<string, Set<string | null>>();

  constructor(exceptions: readonly Exception[]) {
    this.#exceptions = exceptions;
    for (const { rule } of exceptions) this.#apps.set(rule, new Set());
  }

  /** Records that a rule was evaluated. */
  note({ id, workspaceOnly }: AnyRule, { app, file }: SubjectLocation): void {
    if (!workspaceOnly || file !== null) this.#apps.get(id)?.add(app);
  }

  /** True if some exception names the app, so that the rules have to run for it. */
  needsApp(key: string): boolean {
    return this.#exceptions.some(({ app }) => app !== null && matchesGlob(app, key));
  }

  /** @param app null: on anything */
  has(rule: string, app: string | null): boolean {
    const apps = this.#apps.get(rule);
    if (apps === undefined) return false;
    return app === null ? apps.size > 0 : apps.has(app) || apps.has(null);
  }
}
