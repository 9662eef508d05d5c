// Custom elements of the first kind, which Chrome's trace viewer is made of and browsers no longer
// have: as much of them as its importer and its model need. Nothing is drawn.
(() => {
  const known = new Map();
  const make = document.createElement.bind(document);
  const upgrade = (element, prototype) => {
    Object.setPrototypeOf(element, prototype);
    if (prototype.createdCallback) prototype.createdCallback.call(element);
    return element;
  };
  document.createElement = (name, is) => {
    const prototype = known.get(String(typeof is === 'string' ? is : name).toLowerCase());
    return prototype ? upgrade(make(name), prototype) : make(name);
  };
  document.registerElement = (name, options) => {
    const prototype = (options && options.prototype) || Object.create(HTMLElement.prototype);
    const tag = (options && options.extends) || name;
    known.set(name.toLowerCase(), prototype);
    const constructor = function() { return upgrade(make(tag), prototype); };
    constructor.prototype = prototype;
    prototype.constructor = constructor;
    return constructor;
  };
  Object.defineProperty(document, '_currentScript', {get: () => ({ownerDocument: document})});
  window.HTMLImports = {whenReady: (f) => f(), ready: true, useNative: true};
  window.WebComponents = {ready: true};
  window.CustomElements = {ready: true, useNative: true, takeRecords() {}, upgradeAll() {}};
})();
