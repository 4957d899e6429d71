import { recordGuard } from '../../../operator/contract/record-guard';

const props = {
  group: 'ipam.vitistack.io',
  resources: ['addressclaims'],
  namespace: 'ipam-system',
  serviceAccount: 'ipam-controller-manager',
  breakGlassGroup: 'break-glass',
};

describe('recordGuard', () => {
  const guard = recordGuard(props);

  test('guards creation, change and deletion of the object and of all its subresources', () => {
    expect(guard.matchConstraints.resourceRules).toEqual([
      {
        apiGroups: ['ipam.vitistack.io'],
        apiVersions: ['*'],
        operations: ['CREATE', 'UPDATE', 'DELETE'],
        resources: ['addressclaims', 'addressclaims/*'],
        scope: '*',
      },
    ]);
    expect(guard.failurePolicy).toBe('Fail');
  });

  test('lets the operator, the break-glass group and the cleanup of Kubernetes through', () => {
    expect(guard.matchConditions.map(({ expression }) => expression)).toEqual([
      "request.userInfo.username != 'system:serviceaccount:ipam-system:ipam-controller-manager'",
      "!('break-glass' in request.userInfo.groups)",
      "!(request.userInfo.username == 'system:serviceaccount:kube-system:generic-garbage-collector' || (request.operation == 'DELETE' && request.userInfo.username == 'system:serviceaccount:kube-system:namespace-controller'))",
    ]);
  });

  test('tells who writes, whom to join and what was refused, also where a deletion has no name', () => {
    expect(guard.validations).toEqual([
      {
        expression: 'false',
        messageExpression:
          "'only ipam-system/ipam-controller-manager writes ' + request.resource.resource + '; ' + request.userInfo.username + ' may join group break-glass (' + request.operation + (has(request.name) ? ' ' + request.name : '') + ')'",
        reason: 'Forbidden',
      },
    ]);
  });

  test('keeps a quote of a group name inside of its text', () => {
    const [, condition] = recordGuard({ ...props, breakGlassGroup: `o'neill\\` }).matchConditions;
    expect(condition?.expression).toBe(`!('o\\'neill\\\\' in request.userInfo.groups)`);
  });
});
