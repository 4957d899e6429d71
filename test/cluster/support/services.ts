import { ADDRESS_READY } from '../../../operator/contract/group';
import type { Json, KubeObject } from './cluster-client';

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
