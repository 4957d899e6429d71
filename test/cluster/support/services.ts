import { ADDRESS_READY } from '../../../operator/contract/group';
import type { Json, KubeObject } from './cluster-client';
import { eventually, Hopeless } from './eventually';

/** Addresses that the status of a Service shows. */
export const ingressOf = ({ status }: KubeObject): readonly string[] =>
  status?.['loadBalancer']?.['ingress']?.map((each: Json) => String(each['ip'])) ?? [];

/** Our condition on a Service. */
export function conditionOf({ status }: KubeObject): { status: string; reason: string; message: string } | undefined {
  const found = status?.['conditions']?.find((each: Json) => each['type'] === ADDRESS_READY);
  return found as unknown as ReturnType<typeof conditionOf>;
}

/** True once the operator has given and MetalLB shows an address. */
export const isReady = (object: KubeObject): boolean =>
  conditionOf(object)?.status === 'True' && ingressOf(object).length > 0;

/**
 * Does what a user does whom the limit on reservations of a namespace refuses: tries again in a moment. Where many are created at
 * once on a busy machine, the API server admits quicker than the operator hears of what was stored.
 */
export async function unhurried<T>(create: () => Promise<T>): Promise<T> {
  const done = await eventually(async () => {
    try {
      return { value: await create() };
    } catch (thrown) {
      const refusal = String(thrown);
      throw refusal.includes('addresses reserved that no stored Service') ? thrown : new Hopeless(refusal);
    }
  });
  return done.value;
}
