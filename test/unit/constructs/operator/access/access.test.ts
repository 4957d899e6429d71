import { EVERY_SHAPE, namesOf, one, podOf, rulesOf, synthesized } from '../../../../support/operator-objects';

describe('the rights of the operator', () => {
  test('are these, by default', () => {
    expect(rulesOf()).toEqual({
      'ClusterRole ipam-manager-role': [
        { apiGroups: [''], resources: ['namespaces'], resourceNames: ['kube-system'], verbs: ['get'] },
      ],
      'Role ipam-manager-role': [
        { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
        {
          apiGroups: [''],
          resources: ['secrets'],
          resourceNames: ['default', 'ipam-cluster-identity'],
          verbs: ['get'],
        },
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['ipam-keys'], verbs: ['get'] },
      ],
      'ClusterRole ipam-services-role': [
        { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
        { apiGroups: [''], resources: ['services'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: [''], resources: ['services/status'], verbs: ['patch'] },
        {
          apiGroups: ['networking.k8s.io'],
          resources: ['servicecidrs'],
          resourceNames: ['kubernetes'],
          verbs: ['get'],
        },
        { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] },
        { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'list', 'patch'] },
      ],
      'Role ipam-services-role': [
        {
          apiGroups: ['discovery.k8s.io'],
          resources: ['endpointslices'],
          resourceNames: ['kubernetes'],
          verbs: ['list', 'watch'],
        },
      ],
      'Role ipam-pools-role': [{ apiGroups: ['metallb.io'], resources: ['ipaddresspools'], verbs: ['list', 'watch'] }],
    });
  });

  test('of the Networks door are on its kinds, their record and what is never given out, and nothing of Services', () => {
    const { 'ClusterRole ipam-networks-role': rules = [], ...others } = rulesOf({ networks: { enabled: true } });
    const verbsOn = (resource: string) =>
      rules.flatMap(({ resources, verbs }) => (resources.includes(resource) ? verbs : []));
    expect(verbsOn('ipprefixes')).toEqual(['get', 'list', 'watch', 'patch']);
    expect(verbsOn('ipallocations/status')).toEqual(['patch']);
    expect(verbsOn('addresstables')).toEqual(['get', 'list', 'watch', 'create', 'update']);
    expect(verbsOn('services')).toEqual(['list', 'watch']);
    expect(verbsOn('services/status')).toEqual([]);
    expect(Object.keys(others)).toEqual(expect.arrayContaining([...Object.keys(rulesOf())]));
    expect(Object.keys(rulesOf()).filter((name) => name.includes('networks'))).toEqual([]);
  });

  test('of users: view shows the kinds and their record, edit writes the kinds alone', () => {
    const rules = rulesOf({ networks: { enabled: true } });
    const [view = [], edit = []] = ['view', 'edit'].map((name) => rules[`ClusterRole ipam-networks-${name}`]);
    expect(view.flatMap(({ resources }) => resources)).toEqual([
      ...['networkinstances', 'ipprefixes', 'ipallocations', 'addressclaims', 'addresstables'],
    ]);
    expect(new Set(view.flatMap(({ verbs }) => verbs))).toEqual(new Set(['get', 'list', 'watch']));
    expect(edit.flatMap(({ resources }) => resources)).toEqual(['networkinstances', 'ipprefixes', 'ipallocations']);
    const objects = synthesized({ networks: { enabled: true } });
    for (const to of ['view', 'edit'])
      expect(one(objects, 'ClusterRole', `ipam-networks-${to}`)['metadata']?.['labels']).toMatchObject({
        [`rbac.authorization.k8s.io/aggregate-to-${to}`]: 'true',
      });
  });

  test('R24 of the VIPs door are on groups, their record and the status of Services; view shows both, admin writes groups', () => {
    const rules = rulesOf({ vips: { enabled: true } });
    const [own = [], view = [], edit = []] = ['role', 'view', 'edit'].map(
      (name) => rules[`ClusterRole ipam-vips-${name}`],
    );
    const verbsOn = (resource: string) =>
      own.flatMap(({ resources, verbs }) => (resources.includes(resource) ? verbs : []));
    expect(verbsOn('services')).toEqual(['get', 'list', 'watch']);
    expect(verbsOn('services/status')).toEqual(['patch']);
    expect(verbsOn('ipgroups')).toEqual(['get', 'list', 'watch', 'patch']);
    expect(verbsOn('events')).toContain('create');
    expect(view).toEqual([
      { apiGroups: ['paas.org'], resources: ['ipgroups', 'ips'], verbs: ['get', 'list', 'watch'] },
    ]);
    expect(edit).toEqual([
      { apiGroups: ['paas.org'], resources: ['ipgroups'], verbs: ['create', 'update', 'patch', 'delete'] },
    ]);
    const objects = synthesized({ vips: { enabled: true } });
    for (const [name, to] of [
      ['view', 'view'],
      ['edit', 'admin'],
    ] as const)
      expect(one(objects, 'ClusterRole', `ipam-vips-${name}`)['metadata']?.['labels']).toMatchObject({
        [`rbac.authorization.k8s.io/aggregate-to-${to}`]: 'true',
      });
  });

  test('hold no wildcard, no writing of Services, and no list of Secrets, in any shape', () => {
    const rules = EVERY_SHAPE.flatMap((props) => Object.values(rulesOf(props)).flat());
    expect(rules.filter((rule) => JSON.stringify(rule).includes('*'))).toEqual([]);
    const on = (resource: string): string[] =>
      rules.filter(({ resources }) => resources.includes(resource)).flatMap(({ verbs }) => verbs);
    expect(new Set(on('services'))).toEqual(new Set(['get', 'list', 'watch']));
    expect(new Set(on('services/status'))).toEqual(new Set(['patch']));
    expect(new Set(on('secrets'))).toEqual(new Set(['create', 'get', 'list', 'watch', 'patch', 'update']));
    expect(
      rules.flatMap(({ verbs }) => verbs).filter((verb) => ['escalate', 'bind', 'impersonate'].includes(verb)),
    ).toEqual([]);
  });

  test('change Secrets of the operator by their names only', () => {
    const changing = EVERY_SHAPE.flatMap((props) => Object.values(rulesOf(props)).flat()).filter(
      ({ resources, verbs }) =>
        resources.includes('secrets') && verbs.some((verb) => ['patch', 'update'].includes(verb)),
    );
    const intents = Array.from({ length: 16 }, (_, index) => `ipam-intents-${String(index)}`);
    expect(changing.map(({ resourceNames }) => resourceNames)).toEqual([['ipam-self-signed'], intents]);
  });

  test('reach the pools of MetalLB where the operator writes them', () => {
    const changed = synthesized({ zonePools: 'claims' });
    const role = one(changed, 'Role', 'ipam-pools-role');
    expect(role['metadata']!['namespace']).toBe('metallb-system');
    expect(role['rules']![0]!['verbs']).toEqual(['list', 'watch', 'create', 'patch', 'delete']);
  });

  test('belong to the one service account, whose token only the Deployment mounts', () => {
    const objects = synthesized({ certificates: 'self-managed' });
    expect((one(objects, 'ServiceAccount')['automountServiceAccountToken'] as unknown) === false).toBe(true);
    expect(podOf(objects)).toMatchObject({
      serviceAccountName: 'ipam-controller-manager',
      automountServiceAccountToken: true,
    });
    const bindings = objects.filter((object) => String(object['kind']).endsWith('RoleBinding'));
    expect(bindings).toHaveLength(7);
    for (const binding of bindings) {
      expect(binding['subjects']).toEqual([
        { kind: 'ServiceAccount', name: 'ipam-controller-manager', namespace: 'ipam-system' },
      ]);
      expect(namesOf(objects, String(binding['roleRef']!['kind']))).toContain(binding['roleRef']!['name']);
    }
  });
});
