import { startBuild } from './start-build';

module.exports = startBuild;
