import { EGRESS_KEYS } from '../../../operator/contract/egress';
import { egressGuard } from '../../../operator/contract/egress-guard';

const guard = egressGuard({ namespace: 'ipam-system', serviceAccount: 'ipam-controller-manager' });

describe('egressGuard', () => {
  test('holds updates of the status of Namespaces, and is no help to a writer while it cannot be judged', () => {
    expect(guard.matchConstraints.resourceRules).toEqual([
      {
        apiGroups: [''],
        apiVersions: ['*'],
        operations: ['UPDATE'],
        resources: ['namespaces/status'],
        scope: '*',
      },
    ]);
    expect(guard.failurePolicy).toBe('Fail');
  });

  test('is about the service account of the operator alone', () => {
    expect(guard.matchConditions.map(({ expression }) => expression)).toEqual([
      "request.userInfo.username == 'system:serviceaccount:ipam-system:ipam-controller-manager'",
    ]);
  });

  test('lets one annotation differ, and compares every other one in both directions', () => {
    const [{ expression }] = guard.validations as readonly [{ readonly expression: string }];
    const key = `'${EGRESS_KEYS.addresses}'`;
    const [after, before] = ['variables.afterAnnotations', 'variables.beforeAnnotations'];
    expect(expression).toContain(`${after}.all(k, k == ${key} || `);
    expect(expression).toContain(`${before}.all(k, k == ${key} || k in ${after})`);
  });

  test.each(['labels', 'finalizers', 'ownerReferences'])('keeps the %s of a Namespace, and its status', (field) => {
    const [, { expression }] = guard.validations as readonly [object, { readonly expression: string }];
    expect(expression).toContain(`object.metadata.?${field} == oldObject.metadata.?${field}`);
    expect(expression).toContain('object.?status == oldObject.?status');
  });
});
