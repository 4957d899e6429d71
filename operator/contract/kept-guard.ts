import type { AdmissionPolicySpec } from './admission-policy-spec';
import { celList, celText } from './cel-text';
import { POOL_WITHDRAW } from './address-pool';
import { KUBE_SYSTEM, METALLB_GROUP } from './group';

/** An annotation, and the value by which it marks what stays. */
interface KeptMark {
  readonly key: string;
  readonly value: string;
}

const DELETED = { apiVersions: ['*'], operations: ['DELETE'], scope: '*' } as const;

/**
 * Writes the policy that lets nothing delete what holds addresses or announces them, so that a tool which deletes all that a file
 * names, or a namespace deleted by mistake, takes no address away.
 *
 * A pool of which an administrator listed what may be withdrawn is judged by the operator alone. The namespace controller and the
 * garbage collector are let through, or an end that is decided would hang.
 *
 * @param labels - of the objects of the operator
 * @param mark - annotation of those that stay; without it an object may be deleted
 * @returns the spec of a ValidatingAdmissionPolicy
 */
export function keptGuard(labels: Readonly<Record<string, string>>, { key, value }: KeptMark): AdmissionPolicySpec {
  const controllers = ['namespace-controller', 'generic-garbage-collector'].map(
    (name) => `system:serviceaccount:${KUBE_SYSTEM}:${name}`,
  );
  const annotations = 'oldObject.metadata.?annotations.orValue({})';
  const why = ` holds addresses or announces them, so it stays when the rest is deleted; to give it up, take its annotation ${key} off, then delete it`;
  return {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        { apiGroups: [''], resources: ['namespaces', 'persistentvolumeclaims'], ...DELETED },
        { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], ...DELETED },
        {
          apiGroups: [METALLB_GROUP],
          resources: ['ipaddresspools', 'l2advertisements', 'bgpadvertisements'],
          ...DELETED,
        },
      ],
      objectSelector: { matchLabels: labels },
    },
    matchConditions: [
      { name: 'not-cluster-cleanup', expression: `!(request.userInfo.username in ${celList(controllers)})` },
      {
        name: 'kept',
        expression: `${annotations}.exists(key, key == ${celText(key)} && ${annotations}[key] == ${celText(value)})`,
      },
      { name: 'not-allowed', expression: `!(${celText(POOL_WITHDRAW)} in ${annotations})` },
    ],
    validations: [
      {
        expression: 'false',
        messageExpression: `request.kind.kind + ' "' + oldObject.metadata.name + '"' + ${celText(why)}`,
        reason: 'Forbidden',
      },
    ],
  };
}
