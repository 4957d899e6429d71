import { celText } from './cel-text';
import { KUBE_SYSTEM } from './group';

/** Writers of the objects that are the record of claims. */
export interface RecordGuardProps {
  /** API group of the records. */
  readonly group: string;
  /** Plural names of the records, as in URLs. */
  readonly resources: readonly string[];
  /** Namespace of the operator's service account. */
  readonly namespace: string;
  /** Name of the operator's service account. */
  readonly serviceAccount: string;
  /** Group whose members may write by hand, in an emergency and as far as their roles allow. */
  readonly breakGlassGroup: string;
}

/** `spec` of a ValidatingAdmissionPolicy, as far as we use it. */
export interface RecordGuard {
  readonly failurePolicy: 'Fail';
  readonly matchConstraints: {
    readonly resourceRules: readonly {
      readonly apiGroups: readonly string[];
      readonly apiVersions: readonly string[];
      readonly operations: readonly string[];
      readonly resources: readonly string[];
      readonly scope: string;
    }[];
  };
  readonly matchConditions: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly {
    readonly expression: string;
    readonly messageExpression: string;
    readonly reason: string;
  }[];
}

const CONTROLLERS = `system:serviceaccount:${KUBE_SYSTEM}`;

/**
 * Writes the policy by which the operator alone changes a record, cluster administrators included. Every expression
 * was tried on an API server 1.36.3.
 *
 * Two controllers of Kubernetes are let through: the garbage collector, which takes its finalizer off by an update, and the
 * namespace controller where it deletes. Without them a deletion in the foreground and the end of a namespace hang.
 *
 * @param props - records, operator and break-glass group
 * @returns the spec of a ValidatingAdmissionPolicy
 */
export function recordGuard(props: RecordGuardProps): RecordGuard {
  const { group, resources, namespace, serviceAccount, breakGlassGroup } = props;
  const username = `system:serviceaccount:${namespace}:${serviceAccount}`;
  const collector = `request.userInfo.username == '${CONTROLLERS}:generic-garbage-collector'`;
  const namespaces = `(request.operation == 'DELETE' && request.userInfo.username == '${CONTROLLERS}:namespace-controller')`;
  // a deletion of a whole collection has no name; without `has` the message would be lost
  const what = `request.operation + (has(request.name) ? ' ' + request.name : '')`;
  const only = celText(`only ${namespace}/${serviceAccount} writes `);
  const advice = celText(` may join group ${breakGlassGroup} (`);
  return {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [group],
          apiVersions: ['*'],
          operations: ['CREATE', 'UPDATE', 'DELETE'],
          resources: resources.flatMap((name) => [name, `${name}/*`]),
          scope: '*',
        },
      ],
    },
    matchConditions: [
      { name: 'not-the-operator', expression: `request.userInfo.username != ${celText(username)}` },
      { name: 'not-break-glass', expression: `!(${celText(breakGlassGroup)} in request.userInfo.groups)` },
      { name: 'not-cluster-cleanup', expression: `!(${collector} || ${namespaces})` },
    ],
    validations: [
      {
        expression: 'false',
        messageExpression: `${only} + request.resource.resource + '; ' + request.userInfo.username + ${advice} + ${what} + ')'`,
        reason: 'Forbidden',
      },
    ],
  };
}
