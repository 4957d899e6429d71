// The direction of every import, as a linter. `rules.test.ts` beside this file proves that each rule bites.
const own = '^(operator|constructs|infra|examples|test)/';
const npm = (name) => `(^|/)node_modules/${name}`;
const sees = (name, from, to) => ({ name, severity: 'error', from: { path: from }, to: { path: own, pathNot: to } });
const strangers = (dir) => ({
  name: `${dir}-are-strangers`,
  severity: 'error',
  from: { path: `^operator/${dir}/([^/]+)/` },
  to: { path: `^operator/${dir}/`, pathNot: `^operator/${dir}/$1/` },
});
const fence = (name, from, to, extra = {}) => ({ name, severity: 'error', from, to: { path: to, ...extra } });
const values = { dependencyTypesNot: ['type-only'] };
const pureHalf = '^operator/(errors|addressing|contract|rules|settings)/';
const constructsForInfra = '^constructs/(index[.]ts$|props-kit/|render/)';
// a folder of constructs/ and those below it, from the top down
const room = (name, from, ...below) =>
  sees(name, `^constructs/${from}/`, [`^constructs/(${[from, ...below].join('|')})/`, pureHalf]);

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: { pathNot: '^infra/plugin/' }, to: { couldNotResolve: true } },
    {
      // Pulumi fetches the folder of the plugin alone, so it names the package that npm puts beside it
      name: 'resolvable-in-plugin',
      severity: 'error',
      from: { path: '^infra/plugin/' },
      to: { couldNotResolve: true, pathNot: '^cdk8s-ipam/infra$' },
    },
    {
      name: 'plugin-sees',
      severity: 'error',
      from: { path: '^infra/plugin/' },
      to: { path: own, pathNot: '^infra/plugin/' },
    },
    { name: 'not-to-test', severity: 'error', from: { pathNot: '^test/' }, to: { path: '^test/' } },
    sees('errors-see', '^operator/errors/', '^operator/errors/'),
    sees('addressing-sees', '^operator/addressing/', '^operator/(addressing|errors)/'),
    // defaults that are names of the contract; its schemas need packages that settings do without
    sees('settings-see', '^operator/settings/', [
      '^operator/(settings|errors)/',
      '^operator/contract/(group|paas|foreign-load-balancers|egress-dataplanes|egress-clouds)[.]ts$',
    ]),
    sees('contract-sees', '^operator/contract/', '^operator/(contract|addressing|errors)/'),
    sees('ports-see', '^operator/ports/', '^operator/(ports|addressing|contract|errors)/'),
    sees('rules-see', '^operator/rules/', '^operator/(rules|contract|addressing|errors)/'),
    sees('runtime-sees', '^operator/runtime/', '^operator/(runtime|ports|errors)/'),
    sees('ledger-sees', '^operator/ledger/', '^operator/(ledger|rules|addressing|contract|ports|errors)/'),
    sees('identity-sees', '^operator/identity/', '^operator/(identity|ledger|runtime|contract|ports|errors)/'),
    sees(
      'front-doors-see',
      '^operator/front-doors/',
      '^operator/(front-doors|reviews|ledger|rules|addressing|contract|runtime|ports|errors)/',
    ),
    sees('reviews-see', '^operator/reviews/', '^operator/(reviews|contract|ports|errors)/'),
    fence('reviews-are-for-doors', { pathNot: '^(operator/(reviews|front-doors)/|test/)' }, '^operator/reviews/'),
    sees('claim-store-sees', '^operator/claim-store/', '^operator/(claim-store|addressing|contract|ports|errors)/'),
    fence(
      'claim-store-is-for-backends',
      { pathNot: '^(operator/(claim-store|backends)/|test/)' },
      '^operator/claim-store/',
    ),
    sees(
      'backends-see',
      '^operator/backends/',
      '^operator/(backends|claim-store|addressing|contract|runtime|ports|errors)/',
    ),
    sees('cluster-sees', '^operator/cluster/', '^operator/(cluster|contract|runtime|ports|errors)/'),
    sees('telemetry-sees', '^operator/telemetry/', '^operator/(telemetry|ports|errors)/'),
    sees('server-sees', '^operator/server/', '^operator/(server|contract|ports|errors)/'),
    // all of the operator but what starts it
    sees('assembly-sees', '^operator/assembly/', '^operator/(?!cli/)[^/]+/'),
    sees('cli-sees', '^operator/cli/', [
      '^operator/(cli|settings|rules|contract|addressing|runtime|errors)/',
      // the store file and its key, for commands that run beside no operator
      '^operator/backends/(files/hash-key-file|sql/move/move-store|sql/sqlite/sqlite-restore|system/hash-key)[.]ts$',
      // the API server, for commands on objects of a cluster; they have no operator behind them
      '^operator/cluster/api/',
      '^operator/backends/system/system-clock[.]ts$',
    ]),
    sees('application-sees', '^operator/application[.]ts$', [
      '^operator/(assembly|ports|settings)/',
      '^operator/backends/system/system-clock[.]ts$',
    ]),
    sees('main-sees', '^operator/main[.]ts$', ['^operator/application[.]ts$', '^operator/(settings|runtime|errors)/']),
    sees('index-sees', '^operator/index[.]ts$', '^operator/(contract|addressing|errors)/'),
    fence('application-is-on-top', { pathNot: '^(operator/main[.]ts$|test/)' }, '^operator/(application|main)[.]ts$'),
    fence(
      'assembly-is-for-application',
      { pathNot: '^(operator/(assembly/|application[.]ts$)|test/)' },
      '^operator/assembly/',
    ),
    fence(
      'doors-in-one-list',
      { pathNot: '^(operator/assembly/doors/open-doors[.]ts$|test/)' },
      '^operator/assembly/doors/(?!open-doors[.]ts$)',
    ),
    fence(
      'doors-through-index',
      { pathNot: '^(operator/front-doors/|test/)' },
      '^operator/front-doors/[^/]+/(?!index[.]ts$)',
    ),
    {
      name: 'root-holds-three-files',
      severity: 'error',
      from: { path: '^operator/[^/]+[.]ts$', pathNot: '^operator/(application|main|index)[.]ts$' },
      to: {},
    },
    sees('constructs-see', '^constructs/', ['^constructs/', pureHalf]),
    room('props-kit-sees', 'props-kit'),
    room('objects-see', 'objects', 'props-kit'),
    room('app-sees', 'app', 'objects', 'props-kit'),
    room('service-sees', 'service', 'app', 'objects', 'props-kit'),
    room('metallb-sees', 'metallb', 'app', 'objects', 'props-kit'),
    room('crds-see', 'crds'),
    room('kinds-see', 'kinds', 'crds', 'app', 'objects', 'props-kit'),
    room('vip-service-sees', 'vip-service', 'service', 'kinds', 'app', 'objects', 'props-kit'),
    room('operator-construct-sees', 'operator', 'service', 'metallb', 'kinds', 'app', 'objects', 'props-kit'),
    fence('concerns-see', { path: '^constructs/operator/[^/]+/' }, '^constructs/operator/[^/]+[.]ts$'),
    room('validations-see', 'validations', 'objects', 'props-kit'),
    room('testing-sees', 'testing', 'validations', 'service', 'app', 'objects', 'props-kit'),
    room(
      'render-sees',
      'render',
      'operator',
      'service',
      'vip-service',
      'metallb',
      'kinds',
      'app',
      'objects',
      'props-kit',
    ),
    sees('infra-sees', '^infra/', ['^infra/', constructsForInfra, pureHalf]),
    sees('args-see', '^infra/args/', ['^infra/args/', constructsForInfra, pureHalf]),
    sees('outputs-see', '^infra/outputs/', ['^infra/(outputs|args)/', constructsForInfra, pureHalf]),
    sees('components-see', '^infra/components/', ['^infra/(components|outputs|args)/', constructsForInfra, pureHalf]),
    sees('examples-see', '^examples/', ['^examples/', '^(operator|constructs|infra)/index[.]ts$']),
    strangers('front-doors'),
    strangers('backends'),
    fence('pure-is-foreign-free', { path: '^operator/(addressing|errors|rules|settings)/' }, '.', {
      dependencyTypes: ['npm', 'npm-dev', 'npm-peer', 'npm-optional', 'npm-no-pkg', 'core'],
    }),
    fence(
      'one-kubernetes-client',
      { path: '^(operator|constructs|infra)/', pathNot: '^operator/cluster/' },
      npm('@kubernetes/client-node'),
      values,
    ),
    fence(
      'one-http-server',
      { path: '^operator/', pathNot: '^operator/(server|reviews|front-doors)/' },
      npm('fastify/'),
      values,
    ),
    fence('sql-stays-in-sql', { pathNot: '^(operator/backends/sql|test)/' }, npm('(kysely|pg)/')),
    fence('sqlite-stays-in-sql', { pathNot: '^(operator/backends/sql|test)/' }, '^(node:)?sqlite$'),
    fence(
      'schemas-stay-in-contract',
      { path: '^(operator|constructs|infra)/', pathNot: '^operator/contract/' },
      npm('(@sinclair/typebox|ajv)/'),
    ),
    fence(
      'telemetry-stays',
      { path: '^(operator|constructs|infra)/', pathNot: '^operator/telemetry/' },
      npm('(pino|prom-client)/'),
    ),
    fence(
      'commander-stays-in-cli',
      { path: '^(operator|constructs|infra)/', pathNot: '^operator/cli/' },
      npm('commander/'),
    ),
    fence(
      'certificates-stay-in-server',
      { path: '^(operator|constructs|infra)/', pathNot: '^operator/server/' },
      npm('@peculiar/x509/'),
    ),
    fence(
      'yaml-stays-where-text-is',
      {
        path: '^(operator|constructs|infra)/',
        pathNot:
          '^(operator/(contract/(zone-text|ipam-api/v3/clients-text)|cluster/api/kubeconfig|cli/(output/report|arguments/manifest-file|inject/yaml-edit))|constructs/(app/portable-yaml|render/))',
      },
      npm('yaml/'),
    ),
    fence(
      'grpc-stays-in-server',
      { path: '^(operator|constructs|infra)/', pathNot: '^operator/(server/grpc|cli)/' },
      npm('@grpc/'),
    ),
    fence(
      'protobuf-stays-in-contract',
      { path: '^(operator|constructs|infra)/', pathNot: '^operator/contract/networks/alloc/' },
      npm('protobufjs/'),
    ),
    fence(
      'aws-stays-in-its-driver',
      { path: '^(operator|constructs|infra)/', pathNot: '^operator/backends/clouds/aws/' },
      npm('(aws4fetch|@rgrove/parse-xml)/'),
    ),
    fence('cdk8s-stays', { path: '^operator/' }, npm('(cdk8s|cdk8s-plus-28|constructs)/')),
    fence('pulumi-stays', { path: '^(operator|constructs)/' }, npm('@pulumi/')),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true, // also judge type-only imports
    // no tsConfig here: it makes the bare name "constructs" resolve to our own folder
    // no includeOnly here: it hides Node built-ins, and the core rule then matches nothing
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'import', 'default'],
      extensions: ['.ts', '.js', '.json', '.d.ts'],
    },
  },
};
