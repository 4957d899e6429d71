import { argumentsOf, namesOf, one, podOf, synthesized } from '../../../../support/operator-objects';

describe('services.enabled', () => {
  const objects = synthesized({ services: { enabled: false }, ipamApi: { expose: {} } });

  test('false: leaves neither rights nor webhooks behind, nor a Service for them', () => {
    const kinds = objects.map((object) => String(object['kind']));
    expect(kinds.filter((kind) => kind.endsWith('WebhookConfiguration'))).toEqual([]);
    expect(namesOf(objects, 'ClusterRole')).toEqual([]);
    expect(namesOf(objects, 'Role')).toEqual(['ipam-manager-role']);
    expect(namesOf(objects, 'Service')).toEqual(['ipam-api', 'ipam-controller-manager-metrics-service']);
  });

  test('false: tells the operator, which then needs no setting of the door', () => {
    expect(argumentsOf(objects)).toContain('--services=false');
    expect(argumentsOf(objects).filter((text) => text.startsWith('--when-unavailable'))).toEqual([]);
  });

  test('false: asks for the certificate of the IPAM-API alone, and for none where it has its own', () => {
    expect(namesOf(objects, 'Certificate')).toEqual(['ipam-ca', 'ipam-api-cert']);
    for (const own of [{ certificateSecret: 'mine' }, { issuer: { name: 'company' } }]) {
      const others = synthesized({ services: { enabled: false }, ipamApi: { expose: own } });
      expect(namesOf(others, 'Issuer')).toEqual([]);
      expect(namesOf(others, 'Certificate')).toEqual('issuer' in own ? ['ipam-api-cert'] : []);
    }
  });

  test('false: opens no port for webhooks, and reads no Secret but the keys', () => {
    expect(podOf(objects)['containers']![0]!['ports']!.map(({ name }) => name)).toEqual(['health', 'ipam-api']);
    expect(JSON.stringify(one(objects, 'NetworkPolicy'))).not.toContain('9443');
    expect(one(objects, 'Role')['rules']).toEqual([
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['ipam-keys'], verbs: ['get'] },
    ]);
  });

  test('false: leaves MetalLB to the clusters that ask, so zones of two networks may hold the same numbers', () => {
    const same = ['10.0.0.0/24'];
    const twice = synthesized({
      zones: [
        { name: 'a', prefixes: same, advertise: 'l2' },
        { name: 'b', network: 'other', prefixes: same },
      ],
      services: { enabled: false },
      ipamApi: { expose: {} },
    });
    for (const kind of ['IPAddressPool', 'L2Advertisement']) expect(namesOf(twice, kind)).toEqual([]);
  });

  test('true: is the default', () => {
    expect(argumentsOf(synthesized())).toContain('--services=true');
  });
});
