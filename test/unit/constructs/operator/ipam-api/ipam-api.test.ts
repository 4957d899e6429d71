import { parseSettings } from '../../../../../operator/settings/parse-settings';
import { argumentsOf, containerOf, namesOf, one, podOf, synthesized } from '../../../../support/operator-objects';

describe('ipamApi', () => {
  test('does not listen by default', () => {
    const objects = synthesized();
    expect(argumentsOf(objects).join(' ')).not.toContain('--ipam-api');
    expect(namesOf(objects, 'Service')).not.toContain('ipam-api');
    expect(namesOf(synthesized({ ipamApi: {} }), 'Service')).not.toContain('ipam-api');
  });

  test('listens over TLS, by a certificate of the CA, and answers nobody without a login', () => {
    const objects = synthesized({ ipamApi: { expose: {} } });
    const parsed = parseSettings({ argv: argumentsOf(objects), env: {} });
    expect(parsed).toMatchObject({
      ok: true,
      value: { ipamApiBindAddress: { host: '', port: 9444 }, ipamApiTls: true, allowAnonymousV2: false },
    });
    expect(argumentsOf(objects)).toContain('--allow-anonymous-v2=false');
    expect(one(objects, 'Service', 'ipam-api')['spec']).toEqual({
      type: 'ClusterIP',
      selector: { 'app.kubernetes.io/name': 'ipam-operator', 'app.kubernetes.io/component': 'controller-manager' },
      ports: [{ name: 'https', port: 443, targetPort: 'ipam-api', protocol: 'TCP' }],
    });
    expect(containerOf(objects)['ports']).toContainEqual({ name: 'ipam-api', containerPort: 9444, protocol: 'TCP' });
    expect(one(objects, 'Certificate', 'ipam-api-cert')['spec']).toMatchObject({
      secretName: 'ipam-api-server-cert',
      dnsNames: ['ipam-api.ipam-system.svc', 'ipam-api.ipam-system.svc.cluster.local'],
      issuerRef: { kind: 'Issuer', name: 'ipam-ca-issuer' },
    });
    expect(podOf(objects)['volumes']).toContainEqual({
      name: 'ipam-api-certificate',
      secret: { secretName: 'ipam-api-server-cert', defaultMode: 0o440 },
    });
  });

  test('takes port, type, annotations, names and issuer', () => {
    const objects = synthesized({
      ipamApi: {
        expose: {
          port: 8443,
          serviceType: 'LoadBalancer',
          serviceAnnotations: { 'metallb.io/address-pool': 'infra' },
          dnsNames: ['ipam.example'],
          issuer: { name: 'corp' },
          allowAnonymousV2: true,
        },
      },
    });
    const service = one(objects, 'Service', 'ipam-api');
    expect(service['metadata']!['annotations']).toEqual({ 'metallb.io/address-pool': 'infra' });
    expect(service['spec']).toMatchObject({ type: 'LoadBalancer', ports: [{ port: 8443 }] });
    expect(one(objects, 'Certificate', 'ipam-api-cert')['spec']).toMatchObject({
      dnsNames: expect.arrayContaining(['ipam.example']) as unknown,
      issuerRef: { group: 'cert-manager.io', kind: 'ClusterIssuer', name: 'corp' },
    });
    expect(argumentsOf(objects)).toContain('--allow-anonymous-v2=true');
  });

  test('takes a certificate of the user, and asks for none then', () => {
    const objects = synthesized({
      certificates: 'self-managed',
      ipamApi: { expose: { certificateSecret: 'corp-cert' } },
    });
    expect(namesOf(objects, 'Certificate')).toEqual([]);
    expect(podOf(objects)['volumes']).toContainEqual({
      name: 'ipam-api-certificate',
      secret: { secretName: 'corp-cert', defaultMode: 0o440 },
    });
  });
});
