import { isAppregError } from '../core/errors/error.ts';
import { stopIfInterrupted } from '../store/interrupt.ts';
import type { Plan, PlannedStep, SignStep, Step } from './plan.ts';

/**
 * The same plan with every file signed, in order.
 * @throws AppregError of `sign`, before anything is written
 */
export async function signedPlan(plan: Plan<PlannedStep>): Promise<Plan> {
  const steps: Step[] = [];
  for (const step of plan.steps) {
    if (step.kind !== 'create' || step.bytes !== null) steps.push(step);
    else {
      const { sign, ...file } = step;
      steps.push({ ...file, bytes: await signed(sign) });
    }
  }
  return { ...plan, steps };
}

async function signed(sign: SignStep['sign']): Promise<Uint8Array> {
  stopIfInterrupted();
  try {
    return await sign();
  } catch (error) {
    throw isAppregError(error) ? error.with({ effect: 'none' }) : error;
  }
}
