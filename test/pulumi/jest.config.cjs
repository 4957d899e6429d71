const cluster = require('../cluster/jest.config.cjs');
const { project } = require('../support/jest-project.cjs');

// On the same real components, by the same rules; a command of its own, since CI has no room for it beside the rest.
module.exports = { ...cluster, projects: cluster.projects.map((each) => ({ ...each, ...project('pulumi') })) };
