import { DatabaseSync } from 'node:sqlite'

/** Loaded into a service with `--import`: its store does not sync. It shows that the power-cut test detects that. */
const { exec, prepare } = DatabaseSync.prototype
const careless = (text: string) => text.replace(/synchronous = \w+/, 'synchronous = off')
DatabaseSync.prototype.exec = function (text) {
  return exec.call(this, careless(text))
}
DatabaseSync.prototype.prepare = function (text, ...options) {
  return prepare.call(this, careless(text), ...options)
}
