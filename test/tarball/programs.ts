/** How a program is written, which decides how the package is found and loaded. */
export const FORMS = ['CommonJS', 'ESM', 'TypeScript'] as const;
export type Form = (typeof FORMS)[number];

/** A program of somebody who installed the package. */
export interface ConsumerProgram {
  readonly kind: string;
  /** Names that it imports, by module. */
  readonly imports: Readonly<Record<string, readonly string[]>>;
  /** TypeScript, of which the annotations between `/*:` and `*\/` are taken away for JavaScript. */
  readonly body: string;
  readonly prints: string;
}

/** One program for each entry of the package. */
export const PROGRAMS: readonly ConsumerProgram[] = [
  {
    kind: 'the pure half',
    imports: { 'cdk8s-ipam': ['parseAddress', 'parseZones'] },
    body: `
      const address = parseAddress('2001:DB8:0::1');
      const zones = parseZones({ version: 1, zones: [{ name: 'inet', prefixes: ['203.0.113.0/24'] }] });
      const names/*: readonly string[]*/ = zones.ok ? zones.value.names : [];
      console.log(address.ok ? address.value.toString() : '', ...names);`,
    prints: '2001:db8::1 inet',
  },
  {
    kind: 'an app of cdk8s',
    imports: { cdk8s: ['App', 'Chart'], 'cdk8s-ipam/constructs': ['IpamOperator', 'IpamService'] },
    body: `
      const app = new App();
      const zones = [{ name: 'inet', prefixes: ['203.0.113.0/24'] }];
      const operator = new IpamOperator(new Chart(app, 'ipam'), 'operator', { zones });
      const web = new Chart(app, 'web');
      new IpamService(web, 'shop', { zone: 'inet', zones: operator.zones, ports: [{ port: 443 }] });
      const [service]/*: { kind: string }[]*/ = web.toJson();
      console.log(service?.kind, app.synthYaml().includes('MutatingWebhookConfiguration'));`,
    prints: 'Service true',
  },
  {
    kind: 'a rule of cdk8s.yaml',
    imports: { 'cdk8s-ipam/constructs/validations': ['PodSecurityRestricted', 'PoolsDisjoint', 'WebhookSafety'] },
    body: `
      const rules/*: readonly (new () => object)[]*/ = [PodSecurityRestricted, PoolsDisjoint, WebhookSafety];
      console.log(rules.map((Rule) => new Rule().constructor.name).join(' '));`,
    prints: 'PodSecurityRestricted PoolsDisjoint WebhookSafety',
  },
  {
    kind: 'a program of Pulumi',
    imports: { '@pulumi/pulumi': ['runtime'], 'cdk8s-ipam/infra': ['IpamOperator', 'IpamService'] },
    body: `
      let objects = 0;
      async function main()/*: Promise<void>*/ {
        await runtime.setMocks({
          newResource: (args) => {
            if (args.type.startsWith('kubernetes:')) objects += 1;
            return { id: args.name, state: args.inputs };
          },
          call: (args) => args.inputs,
        });
        const { zones } = new IpamOperator('ipam', { zones: [{ name: 'inet', prefixes: ['203.0.113.0/24'] }] });
        new IpamService('shop', { zone: 'inet', zones, ports: [{ port: 443 }] });
        await runtime.disconnect();
        console.log(objects > 15, zones.names[0]);
      }
      void main();`,
    prints: 'true inet',
  },
];

const EXTENSION: Readonly<Record<Form, string>> = { CommonJS: 'cjs', ESM: 'mjs', TypeScript: 'ts' };

/** Name and text of a program's file. */
export function written({ imports, body }: ConsumerProgram, form: Form): readonly [extension: string, text: string] {
  const lines = Object.entries(imports).map(([module, names]) =>
    form === 'CommonJS'
      ? `const { ${names.join(', ')} } = require('${module}');`
      : `import { ${names.join(', ')} } from '${module}';`,
  );
  const code =
    form === 'TypeScript' ? body.replaceAll(/\/\*(:.*?)\*\//gu, '$1') : body.replaceAll(/\/\*:.*?\*\//gu, '');
  return [EXTENSION[form], `${lines.join('\n')}\n${code}\n`];
}
