import type { IpamOperatorProps } from '../../../../../constructs';
import type { EgressCloudProps } from '../../../../../constructs/operator/egress-door/egress-cloud-props';
import { containerOf, one, settingsOf, synthesized, type Json } from '../../../../support/operator-objects';

const withCloud = (
  cloud: EgressCloudProps | undefined,
  more: Partial<IpamOperatorProps> = {},
): Partial<IpamOperatorProps> => ({
  services: { enabled: false },
  store: { objects: true },
  zones: undefined as never,
  egress: cloud === undefined ? { enabled: true } : { enabled: true, cloud },
  ...more,
});

const of = (objects: readonly Json[], kind: string): readonly Json[] => objects.filter((each) => each['kind'] === kind);

const secretsRead = (objects: readonly Json[]): unknown =>
  of(objects, 'Role')
    .filter((role) => String(role['metadata']?.['name']) === 'ipam-egress-role')
    .flatMap((role) => role['rules'] as unknown as readonly Json[])
    .filter((rule) => String(rule['resources']) === 'secrets');

function cloudSettings(objects: readonly Json[]): readonly string[] {
  const { egressCloud, egressCloudRegion, egressCloudSecret } = settingsOf(objects);
  return [egressCloud, egressCloudRegion, egressCloudSecret];
}

describe('the cloud of the Egress door', () => {
  test('sets options, and lets the operator read the one Secret', () => {
    const objects = synthesized(withCloud({ provider: 'aws', region: 'eu-west-1' }));
    expect(cloudSettings(objects)).toEqual(['aws', 'eu-west-1', 'ipam-cloud-credentials']);
    expect(secretsRead(objects)).toEqual([
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['ipam-cloud-credentials'], verbs: ['get'] },
    ]);
    expect(of(objects, 'CredentialsRequest')).toEqual([]);
  });

  test('leaves rights and options out where there is none', () => {
    const objects = synthesized(withCloud(undefined));
    expect(cloudSettings(objects)).toEqual(['none', '', '']);
    expect(secretsRead(objects)).toEqual([]);
  });

  test('needs no Secret on Google Cloud, whose metadata server gives tokens', () => {
    const objects = synthesized(withCloud({ provider: 'gcp' }));
    expect(cloudSettings(objects)).toEqual(['gcp', '', '']);
    expect(secretsRead(objects)).toEqual([]);
  });

  test.each([
    ['aws', 'AWSProviderSpec'],
    ['azure', 'AzureProviderSpec'],
    ['gcp', 'GCPProviderSpec'],
  ] as const)('asks OpenShift for few rights on %s, by keys or the token of the ServiceAccount', (provider, kind) => {
    const objects = synthesized(withCloud({ provider, region: 'eu-west-1' }, { platform: 'openshift' }));
    expect(one(objects, 'CredentialsRequest')).toMatchObject({
      metadata: { name: 'ipam-egress', namespace: 'openshift-cloud-credential-operator' },
      spec: {
        secretRef: { name: 'ipam-cloud-credentials', namespace: 'ipam-system' },
        serviceAccountNames: ['ipam-controller-manager'],
        cloudTokenPath: '/var/run/secrets/openshift/serviceaccount/token',
        providerSpec: { kind },
      },
    });
    expect(JSON.stringify(one(objects, 'CredentialsRequest'))).not.toMatch(/Contributor|roles\/|:\*"|\/\*"/u);
    expect(JSON.stringify(one(objects, 'Deployment'))).toContain('"audience":"openshift"');
  });

  test('mounts a token for the audience that is asked for', () => {
    const tokenAudience = 'api://AzureADTokenExchange';
    const objects = synthesized(withCloud({ provider: 'azure', tokenAudience }));
    expect(JSON.stringify(one(objects, 'Deployment'))).toContain(
      '"serviceAccountToken":{"audience":"api://AzureADTokenExchange","expirationSeconds":3600,"path":"token"}',
    );
    expect(containerOf(objects)['volumeMounts']).toContainEqual(
      expect.objectContaining({ mountPath: '/var/run/secrets/ipam-cloud' }),
    );
  });

  test('refuses AWS without a region', () => {
    expect(() => synthesized(withCloud({ provider: 'aws' }))).toThrow(/egress\.cloud\.region: is needed/u);
  });
});
