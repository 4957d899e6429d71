import { parseSettings } from '../../../../../operator/settings/parse-settings';
import { argumentsOf, keysOf, namesOf, one, podOf, rulesOf, synthesized } from '../../../../support/operator-objects';

describe('certificates: self-managed', () => {
  const objects = synthesized({ certificates: 'self-managed' });

  test('asks cert-manager for nothing', () => {
    expect(JSON.stringify(objects)).not.toContain('cert-manager.io');
    expect(namesOf(objects, 'Certificate')).toEqual([]);
    expect(namesOf(objects, 'Issuer')).toEqual([]);
  });

  test('writes no caBundle, which the operator fills in', () => {
    expect(keysOf(objects)).not.toContain('caBundle');
  });

  test('lets the operator patch its own webhook configurations, no other', () => {
    expect(rulesOf({ certificates: 'self-managed' })['ClusterRole ipam-ca-bundle-role']).toEqual([
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['mutatingwebhookconfigurations'],
        resourceNames: [one(objects, 'MutatingWebhookConfiguration')['metadata']!['name']],
        verbs: ['get', 'patch'],
      },
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['validatingwebhookconfigurations'],
        resourceNames: [
          one(objects, 'ValidatingWebhookConfiguration')['metadata']!['name'],
          'ipam-egress-validating-webhook-configuration',
        ],
        verbs: ['get', 'patch'],
      },
    ]);
  });

  test('keeps the CA in a Secret, so that all replicas show one', () => {
    const parsed = parseSettings({ argv: argumentsOf(objects), env: {} });
    expect(parsed).toMatchObject({ ok: true, value: { selfSignedSecret: 'ipam-self-signed', webhookCertPath: '' } });
    expect(podOf(objects)['volumes']!.map((volume) => volume['name'])).toEqual(['zones', 'data', 'scratch', 'run']);
  });

  test('gives no such right where cert-manager does the work', () => {
    expect(namesOf(synthesized(), 'ClusterRole')).not.toContain('ipam-ca-bundle-role');
  });
});

describe('certificates: cert-manager', () => {
  const objects = synthesized();

  test('keeps the CA for ten years and renews the serving certificate under it', () => {
    expect(one(objects, 'Issuer', 'ipam-selfsigned-issuer')['spec']).toEqual({ selfSigned: {} });
    expect(one(objects, 'Certificate', 'ipam-ca')['spec']).toMatchObject({
      isCA: true,
      duration: '87600h',
      issuerRef: { kind: 'Issuer', name: 'ipam-selfsigned-issuer' },
    });
    expect(one(objects, 'Issuer', 'ipam-ca-issuer')['spec']).toEqual({ ca: { secretName: 'ipam-ca' } });
    expect(one(objects, 'Certificate', 'ipam-serving-cert')['spec']).toMatchObject({
      duration: '2160h',
      secretName: 'webhook-server-cert',
      issuerRef: { kind: 'Issuer', name: 'ipam-ca-issuer' },
      dnsNames: ['ipam-webhook-service.ipam-system.svc', 'ipam-webhook-service.ipam-system.svc.cluster.local'],
    });
  });
});
