import { Chart, Testing, type App } from 'cdk8s';

import { IpamOperator, IpamService, type IpamServiceProps } from '../../../../constructs';

const ZONES = [{ name: 'lan', prefixes: ['10.0.0.0/24'] }];

const web = (app: App, props: Partial<IpamServiceProps> = {}, id = 'web'): IpamService =>
  new IpamService(new Chart(app, id, { namespace: 'apps' }), id, { ports: [{ port: 80 }], ...props });

const operator = (app: App, cluster?: string): IpamOperator =>
  new IpamOperator(new Chart(app, cluster ?? 'ipam'), 'operator', {
    zones: ZONES,
    ...(cluster === undefined ? {} : { cluster }),
  });

const UNKNOWN = expect.stringContaining('no zone is named "wan"') as string;

describe('an IpamService without the prop zones', () => {
  let warnings: jest.SpyInstance;
  beforeEach(() => {
    warnings = jest.spyOn(process, 'emitWarning').mockReturnValue();
  });
  afterEach(() => {
    warnings.mockRestore();
  });

  test('FU-65 says once what synth cannot check where the app has no operator', () => {
    const app = Testing.app();
    const [one, other] = [web(app, { zone: 'wan' }), web(app, { zone: 'wan' }, 'other')];
    expect([...one.node.validate(), ...other.node.validate()]).toEqual([]);
    expect(warnings.mock.calls).toEqual([
      [
        expect.stringContaining('"web/web" has no prop zones'),
        { type: 'IpamService', code: expect.any(String) as string },
      ],
    ]);
  });

  test('FU-65 is judged by the operator of its app, declared before or after it', () => {
    const [before, after] = [Testing.app(), Testing.app()];
    operator(before);
    const late = web(after, { zone: 'wan' });
    operator(after);
    for (const service of [web(before, { zone: 'wan' }), late]) expect(service.node.validate()).toEqual([UNKNOWN]);
    expect(web(before, { zone: 'lan', addresses: ['10.0.0.7'] }, 'right').node.validate()).toEqual([]);
    expect(web(before, {}, 'none').node.validate()).toEqual([expect.stringContaining('there is no default zone')]);
    expect(warnings).not.toHaveBeenCalled();
  });

  test('FU-65 is judged by the operator of its cluster where there are several', () => {
    const app = Testing.app();
    operator(app, 'oslo');
    operator(app, 'bergen');
    expect(web(app, { zone: 'wan', cluster: 'bergen' }, 'a').node.validate()).toEqual([UNKNOWN]);
    expect(web(app, { zone: 'wan' }, 'b').node.validate()).toEqual([]);
  });
});

describe('the place of an IpamService in its app', () => {
  const filesOf = (app: App): readonly string[] => app.charts.map(({ node }) => node.id);

  test('is behind the pool and the advertisement of its zone', () => {
    const app = Testing.app();
    const services = new Chart(app, 'a-services', { namespace: 'apps' });
    const { zones } = operator(app);
    const service = new IpamService(services, 'web', { zones, zone: 'lan', ports: [{ port: 80 }] });
    const before = service.service.node.dependencies.flatMap(({ node }) => node.findAll()).map(({ node }) => node.path);
    expect(before.join()).toMatch(/ipam\/operator\/Pools\/lan/);
    app.synth();
    expect(filesOf(app)).toEqual(['ipam', 'a-services']);
  });
});
