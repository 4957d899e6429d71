import { App, Chart, Testing, Yaml, type ApiObject } from 'cdk8s';
import { IpamOperator, type IpamOperatorProps } from '../../../../../constructs';
import { OperatorCrds } from '../../../../../constructs/operator/crds/crds';
import { ADDRESS_CLAIM } from '../../../../../operator/contract/kinds/address-claim';

interface Manifest {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Record<string, string>;
  };
  readonly spec: Record<string, unknown>;
}

const parts = (props: ConstructorParameters<typeof OperatorCrds>[2] = {}): readonly Manifest[] => {
  const chart = new Chart(Testing.app(), 'crds', { namespace: 'somewhere' });
  new OperatorCrds(chart, 'Crds', props);
  return Testing.synth(chart) as Manifest[];
};

const operator = (crds?: IpamOperatorProps['crds']): readonly Manifest[] => {
  const chart = new Chart(Testing.app(), 'ipam');
  new IpamOperator(chart, 'Operator', {
    zones: [{ name: 'lan', prefixes: ['192.0.2.0/24'] }],
    ...(crds === undefined ? {} : { crds }),
  });
  return Testing.synth(chart) as Manifest[];
};

describe('OperatorCrds', () => {
  test('declares the CRD before the policy that guards its objects, and that before its binding', () => {
    expect(parts().map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
      ['CustomResourceDefinition', 'addressclaims.ipam.vitistack.io'],
      ['ValidatingAdmissionPolicy', 'ipam-record-guard'],
      ['ValidatingAdmissionPolicyBinding', 'ipam-record-guard'],
    ]);
  });

  test('declares the kinds of front doors with the CRD of the record, which alone is guarded', () => {
    const network = { ...ADDRESS_CLAIM, kind: 'Network', plural: 'networks', singular: 'network', shortNames: [] };
    const all = parts({ kinds: [network] });
    const crds = all.filter(({ kind }) => kind === 'CustomResourceDefinition');
    expect(crds.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      'addressclaims.ipam.vitistack.io',
      'networks.ipam.vitistack.io',
    ]);
    expect(crds.map(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'])).toEqual(['keep', 'keep']);
    const policy = all.find(({ kind }) => kind === 'ValidatingAdmissionPolicy');
    expect(JSON.stringify(policy?.spec)).not.toContain('networks');
  });

  test('guards the kinds of front doors that are to be guarded, each behind its CRD', () => {
    const links = { ...ADDRESS_CLAIM, kind: 'Link', plural: 'links', singular: 'link', shortNames: [] };
    const plain = { ...ADDRESS_CLAIM, kind: 'Network', plural: 'networks', singular: 'network', shortNames: [] };
    const all = parts({ kinds: [plain, links], guarded: [{ kind: links, guard: 'link-guard' }] });
    const names = all.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const crd = names.indexOf('CustomResourceDefinition links.ipam.vitistack.io');
    const policy = names.indexOf('ValidatingAdmissionPolicy link-guard');
    expect(crd).toBeGreaterThan(-1);
    expect(policy).toBeGreaterThan(crd);
    expect(names.indexOf('ValidatingAdmissionPolicyBinding link-guard')).toBeGreaterThan(policy);
    const spec = JSON.stringify(all[policy]?.spec);
    expect(spec).toContain('links');
    expect(spec).not.toContain('networks');
  });

  test('puts no namespace on any of them', () => {
    expect(parts().filter(({ metadata }) => 'namespace' in metadata)).toEqual([]);
  });

  test('keeps the CRD when the rest is uninstalled, unless told otherwise', () => {
    const keep = { 'helm.sh/resource-policy': 'keep', 'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false' };
    expect(parts()[0]?.metadata.annotations).toEqual(keep);
    expect(parts({ keep: false })[0]?.metadata.annotations).toBeUndefined();
  });

  test('names service account and break-glass group in the policy', () => {
    const text = JSON.stringify(parts({ breakGlassGroup: 'night-shift' })[1]?.spec);
    expect(text).toContain('system:serviceaccount:ipam-system:ipam-controller-manager');
    expect(text).toContain("'night-shift' in request.userInfo.groups");
  });

  test('binds the policy so that it denies and leaves a trace in the audit log', () => {
    expect(parts()[2]?.spec).toEqual({ policyName: 'ipam-record-guard', validationActions: ['Deny', 'Audit'] });
  });

  test('is valid YAML for every reader', () => {
    expect(() => Yaml.stringify(...parts())).not.toThrow();
  });
});

describe('IpamOperator', () => {
  const kinds = (manifests: readonly Manifest[]): readonly string[] => manifests.map(({ kind }) => kind);

  test('brings the CRDs before the Deployment that needs them', () => {
    const all = kinds(operator());
    expect(all).toContain('CustomResourceDefinition');
    expect(all.indexOf('ValidatingAdmissionPolicyBinding')).toBeLessThan(all.indexOf('Deployment'));
  });

  test('leaves them out where somebody else installs them', () => {
    const all = operator({ install: false });
    const names = all.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names.filter((name) => name.endsWith(' ipam-record-guard') || name.startsWith('CustomResource'))).toEqual(
      [],
    );
    expect(names).toContain('ValidatingAdmissionPolicy ipam-write-guard');
  });

  test('makes the Deployment depend on them, for renderers that order by dependencies', () => {
    const app = new App();
    const chart = new Chart(app, 'ipam');
    const { node } = new IpamOperator(chart, 'Operator', { zones: [{ name: 'lan', prefixes: ['192.0.2.0/24'] }] });
    const crds = node.findChild('Crds');
    const deployment = node.findAll().find((each) => (each as Partial<ApiObject>).kind === 'Deployment');
    expect(node.findChild('Deployment').node.dependencies).toContain(crds);
    expect(deployment).toBeDefined();
  });
});
