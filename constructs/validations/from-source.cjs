// The plugin straight from its sources, for cdk8s.yaml of this repository: the CLI loads plugins without a compiler.
// Apps that have the package installed name lib/constructs/validations instead.
const { require: load } = require('tsx/cjs/api');

module.exports = load('./index.ts', __filename);
